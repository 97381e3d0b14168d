// SPDX-License-Identifier: Apache-2.0

// `CACurrentMediaTime`; there are no layers here.
@_exported import BGRunFoundation
