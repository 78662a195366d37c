"""Which inputs an output came from: gradients, integrated gradients, leaving one out; the same for every task."""

from seqloom.attribution.attribution import Attribution
from seqloom.attribution.methods import METHODS, Method, attribute
from seqloom.attribution.probe import Probe, log_odds

__all__ = ["METHODS", "Attribution", "Method", "Probe", "attribute", "log_odds"]
