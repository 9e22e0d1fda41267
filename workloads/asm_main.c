/*
 * asm IN.s OUT.elf [INCLUDE-FOLDER]: the assembler by itself, for the build.
 */
#include "workloads/asm.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	struct diag *d = diag_new();
	bool good;

	if (argc < 3 || argc > 4) {
		(void)fprintf(stderr, "usage: asm IN.s OUT.elf [FOLDER]\n");
		diag_free(d);
		return 2;
	}
	good = asm_file(argv[1], argc == 4 ? argv[3] : NULL, argv[2], d);
	diag_print(d, stderr);
	diag_free(d);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
