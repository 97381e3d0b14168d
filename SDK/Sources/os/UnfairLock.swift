// SPDX-License-Identifier: Apache-2.0

import Foundation

// C names, as in Apple's <os/lock.h>; the linter's rule for names does not fit them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

/// A lock at the place of its declaration. It is not recursive. As on Apple's systems, it must not be
/// copied or moved after its first use.
public struct os_unfair_lock_s {
    // All zeros, as glibc's initializer.
    fileprivate var mutex = pthread_mutex_t()

    public init() {}
}

public typealias os_unfair_lock = os_unfair_lock_s
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {
    pthread_mutex_lock(&lock.pointee.mutex)
}

public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {
    pthread_mutex_unlock(&lock.pointee.mutex)
}

/// Takes the lock if it is free; returns whether it did.
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool {
    pthread_mutex_trylock(&lock.pointee.mutex) == 0
}
