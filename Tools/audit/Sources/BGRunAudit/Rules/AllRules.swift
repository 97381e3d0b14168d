// SPDX-License-Identifier: Apache-2.0

/// Every rule, in the order of the documentation: declare, register, schedule, handle, transfer.
public let allRules: [any Rule.Type] = [
    CompletionOnEveryPath.self,
]
