// SPDX-License-Identifier: Apache-2.0

// URLRequest, URLResponse and others are FoundationNetworking's. Declarations of this module with
// the same names take precedence in files that import only this.
@_exported import Foundation
@_exported import FoundationNetworking
