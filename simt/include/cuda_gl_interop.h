#error "OpenGL is not part of simt: there is no screen to draw on; write the image to a file"
