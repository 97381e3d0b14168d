// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension NSData.WritingOptions {
    /// The former name of `atomic`.
    @available(*, deprecated, renamed: "atomic")
    public static var atomicWrite: NSData.WritingOptions { .atomic }
}
