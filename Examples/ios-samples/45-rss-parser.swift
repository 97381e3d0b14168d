//: task com.example.rss.update app-refresh
//: swift 5
//: run
//: ends com.example.rss.update completed
//: says Parsed 2 items
//: says Unread 2

import BackgroundTasks
import Foundation
import SwiftUI
import UserNotifications
import WidgetKit

final class FeedParser: NSObject, XMLParserDelegate {
    private(set) var titles: [String] = []
    private var element = ""
    private var text = ""

    func parse(_ data: Data) -> Bool {
        let parser = XMLParser(data: data)
        parser.delegate = self
        return parser.parse()
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String] = [:]
    ) {
        element = elementName
        text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        text += string
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        if elementName == "title" { titles.append(text) }
    }
}

@propertyWrapper
struct UserDefault<Value> {
    let key: String
    let defaultValue: Value
    var container: UserDefaults = .standard

    var wrappedValue: Value {
        get { container.object(forKey: key) as? Value ?? defaultValue }
        set { container.set(newValue, forKey: key) }
    }
}

enum Settings {
    @UserDefault(key: "unread", defaultValue: 0) static var unread: Int
    static let shared = UserDefaults(suiteName: "group.com.example.rss")!
}

@main
struct RSSApp: App {
    var body: some Scene {
        WindowGroup { Text("RSS").badge(3) }
            .backgroundTask(.appRefresh("com.example.rss.update")) {
                let xml =
                    "<rss><item><title>One</title></item><item><title>Two</title></item></rss>"
                let parser = FeedParser()
                guard parser.parse(Data(xml.utf8)) else { return }
                print("Parsed \(parser.titles.count) items")
                Settings.shared.set(
                    try? PropertyListEncoder().encode(parser.titles), forKey: "titles")
                Settings.shared.register(defaults: ["unread": 0])
                Settings.shared.set(parser.titles.count, forKey: "unread")
                print("Unread \(Settings.shared.integer(forKey: "unread"))")
                WidgetCenter.shared.reloadAllTimelines()
                try? await UNUserNotificationCenter.current().setBadgeCount(2)
                let widgets = try? await WidgetCenter.shared.currentConfigurations()
                print(widgets?.count ?? 0)
            }
    }
}
