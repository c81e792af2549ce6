"""The picture in a page: the player, its style, and the html that carries them with the shapes."""
