// SPDX-License-Identifier: Apache-2.0

@_exported import BGRunFoundation
@_exported import BGRunPluginRuntime
// Apple's framework brings it along.
@_exported import Foundation
