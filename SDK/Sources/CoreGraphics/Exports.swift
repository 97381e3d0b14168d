// SPDX-License-Identifier: Apache-2.0

// The geometric types are Foundation's; nothing is drawn.
@_exported import Foundation
