import BGRunWire
extension ManifestDecoder { func decodeProgram(_ field: Field) -> ForeignProgram? { nil } }
