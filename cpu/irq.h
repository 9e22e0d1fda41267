/*
 * An interrupt line as a value: a device is handed one and raises it, and
 * never knows the CPU or the kernel behind it.
 */
#pragma once

struct irq_line {
	void (*raise)(void *arg);
	void *arg;
};

static inline void irq_raise(struct irq_line line)
{
	line.raise(line.arg);
}
