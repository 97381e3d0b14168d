//: task com.example.photos.thumbnails processing
//: run
//: ends com.example.photos.thumbnails completed
//: says Skipped 2 photos that cannot be decoded
//: says Stored 3 placeholders

import BackgroundTasks
import UIKit

struct Photo: Sendable {
    let name: String
    let data: Data
}

enum Thumbnailer {
    static let size = CGSize(width: 64, height: 64)

    static func thumbnail(of photo: Photo) async -> UIImage? {
        guard let image = UIImage(data: photo.data) else { return nil }
        if let prepared = await image.byPreparingThumbnail(ofSize: size) { return prepared }
        return image.preparingThumbnail(of: size) ?? resized(image)
    }

    static func resized(_ image: UIImage) -> UIImage {
        let format = UIGraphicsImageRendererFormat.default()
        format.scale = 1
        return UIGraphicsImageRenderer(size: size, format: format).image { _ in
            image.draw(in: CGRect(origin: .zero, size: size))
        }
    }

    static func placeholder() -> UIImage {
        UIGraphicsImageRenderer(size: size).image { context in
            UIColor.systemGray5.setFill()
            context.fill(CGRect(origin: .zero, size: size))
            context.cgContext.setStrokeColor(UIColor.gray.cgColor)
            UIImage(systemName: "photo")?
                .withTintColor(.white, renderingMode: .alwaysOriginal)
                .withRenderingMode(.alwaysTemplate)
                .draw(at: CGPoint(x: 8, y: 8))
        }
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    private static let identifier = "com.example.photos.thumbnails"

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) {
            guard let task = $0 as? BGProcessingTask else { return }
            Self.handle(task)
        }
        return true
    }

    private static func handle(_ task: BGProcessingTask) {
        let work = Task {
            let photos = ["a", "b"].map { Photo(name: $0, data: Data($0.utf8)) }
            var skipped = 0
            for photo in photos {
                if Task.isCancelled { break }
                guard let thumbnail = await Thumbnailer.thumbnail(of: photo) else {
                    skipped += 1
                    continue
                }
                _ = thumbnail.cgImage.map { "\($0.width) x \($0.height)" }
                try? thumbnail.jpegData(compressionQuality: 0.8)?.write(
                    to: FileManager.default.temporaryDirectory.appendingPathComponent(photo.name))
            }
            print("Skipped \(skipped) photos that cannot be decoded")
            let placeholders = (0..<3).map { _ in Thumbnailer.placeholder() }
            print("Stored \(placeholders.count) placeholders")
            task.setTaskCompleted(success: !Task.isCancelled)
        }
        task.expirationHandler = { work.cancel() }
    }
}
