	nopp
