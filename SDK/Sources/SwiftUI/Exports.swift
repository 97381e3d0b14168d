// SPDX-License-Identifier: Apache-2.0

@_exported import Combine
@_exported import CoreTransferable
@_exported import Observation
