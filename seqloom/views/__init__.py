"""The page's parts: plain ES modules and style sheets, and the one file that holds them."""
