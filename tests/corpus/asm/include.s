	.include "missing.inc"
