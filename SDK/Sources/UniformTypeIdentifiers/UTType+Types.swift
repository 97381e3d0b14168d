// SPDX-License-Identifier: Apache-2.0

// The list of types, and Apple's constants for them.
extension UTType {
    struct Entry: Sendable {
        let type: UTType
        let parents: [UTType]
        /// The preferred one first.
        let extensions: [String]
        let mimeTypes: [String]

        init(
            _ type: UTType, _ parents: [UTType], _ extensions: [String] = [],
            _ mimeTypes: [String] = []
        ) {
            self.type = type
            self.parents = parents
            self.extensions = extensions
            self.mimeTypes = mimeTypes
        }
    }

    static let known = Dictionary(list.map { ($0.type.identifier, $0) }) { first, _ in first }

    static let list: [Entry] = [
        Entry(.item, []),
        Entry(.content, []),
        Entry(.data, [.item], [], ["application/octet-stream"]),
        Entry(.directory, [.item]),
        Entry(.folder, [.directory]),
        Entry(.package, [.directory]),
        Entry(.url, [.data]),
        Entry(.fileURL, [.url]),
        Entry(.text, [.data, .content]),
        Entry(.plainText, [.text], ["txt", "text"], ["text/plain"]),
        Entry(.utf8PlainText, [.plainText]),
        Entry(.html, [.text], ["html", "htm"], ["text/html"]),
        Entry(.xml, [.text], ["xml"], ["application/xml", "text/xml"]),
        Entry(.json, [.text], ["json"], ["application/json"]),
        Entry(.yaml, [.text], ["yml", "yaml"], ["application/x-yaml"]),
        Entry(.css, [.text], ["css"], ["text/css"]),
        Entry(.sourceCode, [.plainText]),
        Entry(.swiftSource, [.sourceCode], ["swift"]),
        Entry(.javaScript, [.sourceCode], ["js"], ["text/javascript"]),
        Entry(.delimitedText, [.text]),
        Entry(.commaSeparatedText, [.delimitedText], ["csv"], ["text/csv"]),
        Entry(.tabSeparatedText, [.delimitedText], ["tsv"], ["text/tab-separated-values"]),
        Entry(.vCard, [.text], ["vcf"], ["text/vcard"]),
        Entry(.calendarEvent, [.text], ["ics"], ["text/calendar"]),
        Entry(.rtf, [.text], ["rtf"], ["text/rtf"]),
        Entry(.pdf, [.data, .content], ["pdf"], ["application/pdf"]),
        Entry(.epub, [.data, .content], ["epub"], ["application/epub+zip"]),
        Entry(.propertyList, [.data], ["plist"]),
        Entry(.database, [.data]),
        Entry(.executable, [.data]),
        Entry(.log, [.plainText], ["log"]),
        Entry(.archive, [.data]),
        Entry(.zip, [.archive], ["zip"], ["application/zip"]),
        Entry(.gzip, [.archive], ["gz"], ["application/gzip"]),
        Entry(.bz2, [.archive], ["bz2"], ["application/x-bzip2"]),
        Entry(.image, [.data, .content]),
        Entry(.png, [.image], ["png"], ["image/png"]),
        Entry(.jpeg, [.image], ["jpeg", "jpg", "jpe"], ["image/jpeg", "image/jpg"]),
        Entry(.gif, [.image], ["gif"], ["image/gif"]),
        Entry(.tiff, [.image], ["tiff", "tif"], ["image/tiff"]),
        Entry(.heic, [.image], ["heic"], ["image/heic"]),
        Entry(.heif, [.image], ["heif"], ["image/heif"]),
        Entry(.webP, [.image], ["webp"], ["image/webp"]),
        Entry(.bmp, [.image], ["bmp"], ["image/bmp"]),
        Entry(.ico, [.image], ["ico"], ["image/vnd.microsoft.icon"]),
        Entry(.svg, [.image], ["svg"], ["image/svg+xml"]),
        Entry(.rawImage, [.image]),
        Entry(.audiovisualContent, [.data, .content]),
        Entry(.movie, [.audiovisualContent]),
        Entry(.video, [.movie]),
        Entry(.quickTimeMovie, [.movie], ["mov", "qt"], ["video/quicktime"]),
        Entry(.mpeg4Movie, [.movie], ["mp4"], ["video/mp4"]),
        Entry(.mpeg, [.movie], ["mpg", "mpeg"], ["video/mpeg"]),
        Entry(.avi, [.movie], ["avi"], ["video/avi"]),
        Entry(.audio, [.audiovisualContent]),
        Entry(.mp3, [.audio], ["mp3"], ["audio/mpeg"]),
        Entry(.mpeg4Audio, [.audio], ["m4a"], ["audio/mp4"]),
        Entry(.wav, [.audio], ["wav"], ["audio/vnd.wave", "audio/wav"]),
        Entry(.aiff, [.audio], ["aiff", "aif"], ["audio/aiff"]),
        Entry(.midi, [.audio], ["midi", "mid"], ["audio/midi"]),
        Entry(.playlist, [.data]),
        Entry(.m3uPlaylist, [.playlist], ["m3u"], ["audio/mpegurl"]),
    ]

    public static let item = UTType(exportedAs: "public.item")
    public static let content = UTType(exportedAs: "public.content")
    public static let data = UTType(exportedAs: "public.data")
    public static let directory = UTType(exportedAs: "public.directory")
    public static let folder = UTType(exportedAs: "public.folder")
    public static let package = UTType(exportedAs: "com.apple.package")
    public static let url = UTType(exportedAs: "public.url")
    public static let fileURL = UTType(exportedAs: "public.file-url")
    public static let text = UTType(exportedAs: "public.text")
    public static let plainText = UTType(exportedAs: "public.plain-text")
    public static let utf8PlainText = UTType(exportedAs: "public.utf8-plain-text")
    public static let html = UTType(exportedAs: "public.html")
    public static let xml = UTType(exportedAs: "public.xml")
    public static let json = UTType(exportedAs: "public.json")
    public static let yaml = UTType(exportedAs: "public.yaml")
    public static let css = UTType(exportedAs: "public.css")
    public static let sourceCode = UTType(exportedAs: "public.source-code")
    public static let swiftSource = UTType(exportedAs: "public.swift-source")
    public static let javaScript = UTType(exportedAs: "com.netscape.javascript-source")
    public static let delimitedText = UTType(exportedAs: "public.delimited-values-text")
    public static let commaSeparatedText = UTType(exportedAs: "public.comma-separated-values-text")
    public static let tabSeparatedText = UTType(exportedAs: "public.tab-separated-values-text")
    public static let vCard = UTType(exportedAs: "public.vcard")
    public static let calendarEvent = UTType(exportedAs: "com.apple.ical.ics")
    public static let rtf = UTType(exportedAs: "public.rtf")
    public static let pdf = UTType(exportedAs: "com.adobe.pdf")
    public static let epub = UTType(exportedAs: "org.idpf.epub-container")
    public static let propertyList = UTType(exportedAs: "com.apple.property-list")
    public static let database = UTType(exportedAs: "public.database")
    public static let executable = UTType(exportedAs: "public.executable")
    public static let log = UTType(exportedAs: "com.apple.log")
    public static let archive = UTType(exportedAs: "public.archive")
    public static let zip = UTType(exportedAs: "public.zip-archive")
    public static let gzip = UTType(exportedAs: "org.gnu.gnu-zip-archive")
    public static let bz2 = UTType(exportedAs: "public.bzip2-archive")
    public static let image = UTType(exportedAs: "public.image")
    public static let png = UTType(exportedAs: "public.png")
    public static let jpeg = UTType(exportedAs: "public.jpeg")
    public static let gif = UTType(exportedAs: "com.compuserve.gif")
    public static let tiff = UTType(exportedAs: "public.tiff")
    public static let heic = UTType(exportedAs: "public.heic")
    public static let heif = UTType(exportedAs: "public.heif")
    public static let webP = UTType(exportedAs: "org.webmproject.webp")
    public static let bmp = UTType(exportedAs: "com.microsoft.bmp")
    public static let ico = UTType(exportedAs: "com.microsoft.ico")
    public static let svg = UTType(exportedAs: "public.svg-image")
    public static let rawImage = UTType(exportedAs: "public.camera-raw-image")
    public static let audiovisualContent = UTType(exportedAs: "public.audiovisual-content")
    public static let movie = UTType(exportedAs: "public.movie")
    public static let video = UTType(exportedAs: "public.video")
    public static let quickTimeMovie = UTType(exportedAs: "com.apple.quicktime-movie")
    public static let mpeg4Movie = UTType(exportedAs: "public.mpeg-4")
    public static let mpeg = UTType(exportedAs: "public.mpeg")
    public static let avi = UTType(exportedAs: "public.avi")
    public static let audio = UTType(exportedAs: "public.audio")
    public static let mp3 = UTType(exportedAs: "public.mp3")
    public static let mpeg4Audio = UTType(exportedAs: "public.mpeg-4-audio")
    public static let wav = UTType(exportedAs: "com.microsoft.waveform-audio")
    public static let aiff = UTType(exportedAs: "public.aiff-audio")
    public static let midi = UTType(exportedAs: "public.midi-audio")
    public static let playlist = UTType(exportedAs: "public.playlist")
    public static let m3uPlaylist = UTType(exportedAs: "public.m3u-playlist")
}
