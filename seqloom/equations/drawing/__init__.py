"""The figure: a definition's data flow as a graph, laid out in layers, drawn as SVG."""
