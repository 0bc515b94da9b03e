/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the JDK's own classes without running application code. */
#ifndef TC_AGENT_BOOT_CLASS_H
#define TC_AGENT_BOOT_CLASS_H

#include <jni.h>
#include <stdbool.h>

#include "sys.h"

/*
 * The boot loader's class of this name, "java.lang.Thread"; null: there is none, and no exception is pending.
 * JNI's FindClass would ask the application's class loader, which may run or wait for any code.
 */
TC_INTERNAL jclass boot_class(JNIEnv *env, const char *name, bool initialized);

#endif
