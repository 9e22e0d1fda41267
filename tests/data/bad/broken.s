; named by broken.yaml
	li r1, nothing
