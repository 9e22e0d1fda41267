/*
 * What every slot's competitor has: a name that scenarios use, what it
 * models, and its options as data. The ops struct of a slot begins with it.
 */
#pragma once

#include "emu/param.h"

struct slot {
	const char *name;
	const char *models;  /* kernel version, or thread and date */
	bool reconstruction; /* the original is lost or was never shown */
	size_t size;	     /* of its state, whose options params fills */
	const struct param *params; /* NULL: no options */
};
