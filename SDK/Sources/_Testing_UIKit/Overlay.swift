// SPDX-License-Identifier: Apache-2.0

// A file that imports both Testing and UIKit has the compiler import this module, too. Apple's
// attaches images to tests; there are none here.
