// SPDX-License-Identifier: Apache-2.0

// The types of geometry are Foundation's; there is no drawing.
@_exported import Foundation
