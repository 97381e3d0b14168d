/* SPDX-License-Identifier: Apache-2.0 */
#include <bgrun_plugin.h>
