// SPDX-License-Identifier: Apache-2.0

// What files that import Foundation find on iOS. A target imports it into each of its files with
// "-import-module BGRunIOS".
@_exported import BGRunFoundation
@_exported import BGRunURLSession
@_exported import FoundationXML
