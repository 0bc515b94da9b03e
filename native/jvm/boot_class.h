/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the JDK's own classes without running application code. */
#ifndef TC_AGENT_BOOT_CLASS_H
#define TC_AGENT_BOOT_CLASS_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

/*
 * The boot loader's class of this name, "java.lang.Thread"; null: there is none, and no exception is pending.
 * JNI's FindClass would ask the application's class loader, which may run or wait for any code.
 */
TC_INTERNAL jclass boot_class(JNIEnv *env, const char *name, bool initialized);

/* The same of a class loader. */
TC_INTERNAL jclass class_of(JNIEnv *env, const char *name, bool initialized, jobject loader);

/* An instance field of such a class, "Ljava/lang/String;"; null: there is none. Initializes the class. */
TC_INTERNAL jfieldID boot_field(JNIEnv *env, const char *class_name, const char *name, const char *signature);

/*
 * Copies a string as modified UTF-8, truncated after a whole character if it is longer than size bytes, fills
 * the rest with zeros, and deletes the reference. False: it is null; text is unchanged.
 */
TC_INTERNAL bool boot_text(JNIEnv *env, jstring string, char *text, size_t size);

#endif
