"""Frames as files: SVG, PNG and GIF, all from the same shapes."""
