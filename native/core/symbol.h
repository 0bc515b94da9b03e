/* SPDX-License-Identifier: Apache-2.0 */
/* Looks symbols up in a loaded ELF image, without the dynamic linker. */
#ifndef TC_SYMBOL_H
#define TC_SYMBOL_H

#include <elf.h>

#include "sys.h"

/*
 * The address of an exported symbol; null: there is none. load: the base of the image's virtual addresses;
 * dynamic: its dynamic section. Calls nothing.
 */
TC_INTERNAL void *tc_symbol(const unsigned char *load, const Elf64_Dyn *dynamic, const char *name);

#endif
