// SPDX-License-Identifier: Apache-2.0

import Foundation
public import FoundationNetworking

// Hints of requests. They have no effect.

extension NSURLRequest.NetworkServiceType {
    public static var responsiveData: Self { .default }
    public static var avStreaming: Self { .video }
    public static var responsiveAV: Self { .video }
}

extension URLRequest {
    /// The originator of a request.
    public enum Attribution: UInt, Sendable {
        case developer, user
    }

    /// Always false.
    public var assumesHTTP3Capable: Bool {
        get { false }
        set { _ = newValue }
    }

    /// Always false.
    public var requiresDNSSECValidation: Bool {
        get { false }
        set { _ = newValue }
    }

    /// Always `developer`.
    public var attribution: Attribution {
        get { .developer }
        set { _ = newValue }
    }
}
