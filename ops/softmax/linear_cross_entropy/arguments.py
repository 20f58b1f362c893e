"""What no type tells of the arguments."""

from warpath._folders import family

smoothed = family(__file__, "smoothing").smoothed
ARGUMENTS = {"linear_cross_entropy": smoothed}
