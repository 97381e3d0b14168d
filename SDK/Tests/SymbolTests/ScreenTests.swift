// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UIKit
import UserNotifications

@Suite(.timeLimit(.minutes(1))) @MainActor struct ScreenTests {
    private let screens = (0..<3).map { _ in UIViewController() }

    @Test("Popping to a screen returns those above it, and the first one stays")
    func popping() {
        let navigation = UINavigationController(rootViewController: screens[0])
        navigation.setViewControllers(screens, animated: false)
        #expect(navigation.popToViewController(UIViewController(), animated: false) == nil)
        #expect(navigation.popToViewController(screens[1], animated: false) == [screens[2]])
        #expect(navigation.topViewController === screens[1])
        #expect(navigation.popToRootViewController(animated: false) == [screens[1]])
        #expect(navigation.popToRootViewController(animated: false) == [])
        #expect(navigation.viewControllers == [screens[0]])
    }

    @Test("The selected tab is the one at the selected index; others are ignored")
    func tabs() {
        let tabs = UITabBarController()
        #expect(tabs.selectedViewController == nil)
        tabs.setViewControllers(screens, animated: false)
        #expect(tabs.selectedViewController === screens[0])
        tabs.selectedViewController = screens[2]
        #expect(tabs.selectedIndex == 2)
        tabs.selectedViewController = UIViewController()
        #expect(tabs.selectedIndex == 2)
        tabs.selectedIndex = 3
        #expect(tabs.selectedViewController == nil)
    }

    @Test("A page controller keeps its pages and completes at once")
    func pages() {
        let pager = UIPageViewController(
            transitionStyle: .scroll, navigationOrientation: .vertical)
        var isFinished = false
        pager.setViewControllers([screens[1]], direction: .reverse, animated: true) {
            isFinished = $0
        }
        #expect(pager.viewControllers == [screens[1]])
        #expect(isFinished)
        #expect(pager.transitionStyle == .scroll)
        #expect(pager.navigationOrientation == .vertical)
    }

    @Test("Later entries of an activity replace earlier ones")
    func activities() {
        let activity = NSUserActivity(activityType: "com.example.app.read")
        activity.addUserInfoEntries(from: ["page": 1, "book": "Emma"])
        activity.addUserInfoEntries(from: ["page": 2])
        #expect(activity.userInfo?["page"] as? Int == 2)
        #expect(activity.userInfo?["book"] as? String == "Emma")
    }

    @Test("A change of a transform applies before the transform itself")
    func transforms() {
        let moved = CGAffineTransform(translationX: 10, y: 20)
        #expect(
            moved.scaledBy(x: 2, y: 3)
                == CGAffineTransform(a: 2, b: 0, c: 0, d: 3, tx: 10, ty: 20))
        let scaled = CGAffineTransform(scaleX: 2, y: 3)
        #expect(
            scaled.translatedBy(x: 10, y: 20)
                == CGAffineTransform(a: 2, b: 0, c: 0, d: 3, tx: 20, ty: 60))
        #expect(
            scaled.concatenating(moved)
                == CGAffineTransform(a: 2, b: 0, c: 0, d: 3, tx: 10, ty: 20))
        let turned = scaled.rotated(by: .pi / 2)
        #expect(abs(turned.b - 3) < 1e-9)
        #expect(abs(turned.c + 2) < 1e-9)
        #expect(abs(turned.a) < 1e-9)
    }

    @Test("A value keeps a rectangle, a point and a size")
    func values() {
        let rect = CGRect(x: 1, y: 2, width: 3, height: 4)
        #expect(NSValue(cgRect: rect).cgRectValue == rect)
        #expect(NSValue(cgPoint: rect.origin).cgPointValue == rect.origin)
        #expect(NSValue(cgSize: rect.size).cgSizeValue == rect.size)
    }

    @Test("A notification's button keeps its icon, and can be without one")
    func icons() {
        let icon = UNNotificationActionIcon(systemImageName: "arrow")
        let reply = UNTextInputNotificationAction(
            identifier: "reply", title: "Reply", icon: icon, textInputButtonTitle: "Send",
            textInputPlaceholder: "Text")
        #expect(reply.icon === icon)
        #expect(UNNotificationAction(identifier: "a", title: "A", icon: icon).icon === icon)
        #expect(UNNotificationAction(identifier: "a", title: "A").icon == nil)
    }
}
