"""What no type tells of the arguments."""

from warpath._folders import family

smoothed = family(__file__, "smoothing").smoothed
ARGUMENTS = {
    "cross_entropy": smoothed,
    "cross_entropy_gradient": smoothed,
    "cross_entropy_backward": smoothed,
}
