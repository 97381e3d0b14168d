// SPDX-License-Identifier: Apache-2.0

// The types of geometry are Foundation's; nothing is drawn.
@_exported import Foundation
