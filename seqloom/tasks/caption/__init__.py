"""Caption: describe a picture in words."""
