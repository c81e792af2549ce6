"""What the lessons' figures are drawn with: boxes, paths and texts, as SVG and as PNG."""
