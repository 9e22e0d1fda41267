/*
 * Drive files: disk/drives/NAME.yaml into a struct drive_spec.
 *
 * The keys are those of drive_params, and two lists: zones (cylinders,
 * sectors, track_skew, cylinder_skew; outermost first) and seek_points
 * ([distance, time]).
 */
#pragma once

#include "disk/drive.h"

/*
 * Read and check a drive file. False after an error. path must outlive d.
 * In both cases the caller owes out a drive_finish.
 */
bool drive_load(const char *path, struct drive_spec *out, struct diag *d);
