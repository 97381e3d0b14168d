// SPDX-License-Identifier: Apache-2.0

// URLRequest, URLResponse and the rest are FoundationNetworking's. What this module declares under
// its names stands before it, in files that import only this.
@_exported import Foundation
@_exported import FoundationNetworking
