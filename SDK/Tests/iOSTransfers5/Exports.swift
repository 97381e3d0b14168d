// SPDX-License-Identifier: Apache-2.0

// The one file that is not an iOS app's: what it exports, all files of the module see.
@_exported import BGRunURLSession
