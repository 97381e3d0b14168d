// SPDX-License-Identifier: Apache-2.0

// The compiler also imports this module for a file that imports both Testing and UIKit. Apple's
// attaches images to tests; there are none here.
