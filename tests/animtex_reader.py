#!/usr/bin/env python3
"""Reads an .animtex file with nothing but Python's standard library.

Written from docs/FORMAT.md alone, to prove that the page is enough. Slow and plain on purpose.

    animtex_reader.py FILE                                  all tables, as JSON
    animtex_reader.py FILE --clip walk --time 0.5           the palette at a time of a clip
    animtex_reader.py FILE --clip walk --time 0.5 --positions --attachments
    animtex_reader.py FILE --clip walk --time 0.5 --vertices       from vertex pages

A clip is given by its name or, failing that, by its number. It is played from its local track, or from its rows if it has
none; --page-set N chooses. Times are clamped to the clip; --wrap applies its mode
instead. With several --time options the results are a list under "samples". Exit code 1: the file is damaged, and the
reason is on standard error.
"""

import argparse
import json
import math
import struct
import sys
import zlib

NONE = 0xFFFFFFFF
HEADER_BYTES, ENTRY_BYTES, ALIGN = 32, 48, 64
FIRST_DATA_KIND = 128

MODES = ["loop", "once", "ping-pong"]
INTERPOLATIONS = ["linear", "step"]
CONTENTS = ["local", "rows", "vertices", "normals"]
ENCODINGS = ["local8", "local32", "affine32", "affine16", "position32", "position16", "normal16"]
TEXEL_FORMATS = ["rg32uint", "rgba32float", "rgba16float", "rgba16uint"]
TEXEL_CODES = {"rg32uint": ("<2I", 8), "rgba32float": ("<4f", 16), "rgba16float": ("<4e", 8), "rgba16uint": ("<4H", 8)}
FORMATS = {
    "local8": ("local", "rg32uint"),
    "local32": ("local", "rgba32float"),
    "affine32": ("rows", "rgba32float"),
    "affine16": ("rows", "rgba16float"),
    "position32": ("vertices", "rgba32float"),
    "position16": ("vertices", "rgba16uint"),
    "normal16": ("normals", "rgba16float"),
}
ANIMATED, MATRIX = 1 << 31, 1 << 30
IDENTITY = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
WRAPS = ["repeat", "mirror", "clamp"]
ALPHA_MODES = ["opaque", "mask", "blend"]
IMAGE_FORMATS = ["png", "jpeg"]
HASHES = ["source", "clip file", "settings", "topology"]
SEMANTICS = ["position", "normal", "tangent", "uv", "color", "bones", "weights"]
SEMANTIC_CODES = ["<3f", "<3f", "<4f", "<2f", "<4f", "<4H", "<4f"]
PART_FLAGS = ["rigid", "normals_computed", "double_sided", "morphs_lost", "not_triangles"]
MATERIAL_FLAGS = ["double_sided", "mag_nearest", "min_nearest"]

# Kind: (name, struct of a record). Reserved fields are x: bytes that are skipped.
TABLES = {
    1: ("extent", "<3f3ff3f3ff8x"),
    3: ("clips", "<IIfffI3f3f3fffII20x"),
    4: ("tracks", "<IIIIIIIIIIIII12x"),
    5: ("held_frames", "<I"),
    6: ("page_sets", "<IIIIII8x"),
    7: ("nodes", "<IIIIII3f4f3f"),
    8: ("bones", "<I12x12f"),
    9: ("constant_pool", "<4f"),
    10: ("attachments", "<IIII12f"),
    11: ("parts", "<IIIII3f3f3ffIIIIIII8x"),
    12: ("lods", "<IIf4x"),
    13: ("materials", "<II4fI4xIIIfI12x"),
    14: ("images", "<III4xQQ"),
    15: ("vertex_attributes", "<II"),
    16: ("hashes", "<I4x32s"),
    17: ("local_records", "<IIII"),
    20: ("masks", "<IIII"),
    21: ("mask_words", "<I"),
}
RAW = {2: "strings", 64: "metadata", 128: "vertices", 129: "indices", 192: "image_bytes", 256: "page"}


class Damaged(Exception):
    """The bytes are no valid file."""


def need(good, message):
    if not good:
        raise Damaged(message)


def number(names, value, what):
    need(value < len(names), f"{what} is {value}, which stands for nothing")
    need(names[value] is not None, f"{what} is {value}, which is reserved: this needs a newer reader")
    return names[value]


def read_sections(data):
    """Header and section table, checked in the promised order."""
    need(data[:4] == b"ANTX", "not an .animtex file")
    need(len(data) >= HEADER_BYTES, "the header is cut off")
    major, minor, total, count, crc, reserved = struct.unpack_from("<HHQIIQ", data, 4)
    need(major == 1, f"version {major}.{minor}, expected 1.x")
    need(total == len(data), f"{len(data)} bytes, expected {total}")
    table_end = HEADER_BYTES + count * ENTRY_BYTES
    need(table_end <= total, "the section table is cut off")
    zeroed = data[:20] + bytes(4) + data[24:table_end]
    need(zlib.crc32(zeroed) == crc, "header or section table are damaged")
    need(reserved == 0, "the header's reserved field is not 0")

    sections, end, last = [], table_end, None
    for entry in range(count):
        kind, flags, offset, length, record, records, crc, owner, page, zero = struct.unpack_from(
            "<IIQQIIIIII", data, HEADER_BYTES + entry * ENTRY_BYTES
        )
        what = f"section {entry} of kind {kind}"
        need(flags <= 1 and zero == 0, f"{what}: reserved bits are not 0")
        need(last is None or last < (kind, owner, page), f"{what} is out of order")
        need((record, records) == (0, 0) or length == record * records, f"{what} has a wrong length")
        need(offset % ALIGN == 0, f"{what} is not aligned")
        need(offset >= end, f"{what} overlaps what precedes it")
        need(offset + length <= total, f"{what} ends after the file")
        need(offset == -(-end // ALIGN) * ALIGN and not any(data[end:offset]), f"{what}: wrong padding")
        last, end = (kind, owner, page), offset + length
        sections.append(
            {
                "kind": kind,
                "name": TABLES.get(kind, (RAW.get(kind, "unknown"),))[0],
                "critical": flags == 1,
                "offset_bytes": offset,
                "length_bytes": length,
                "record_bytes": record,
                "record_count": records,
                "crc32": crc,
                "owner": owner,
                "number": page,
            }
        )
    need(end == total, "bytes after the last section")
    for section in sections:
        known = section["kind"] in TABLES or section["kind"] in RAW
        need(known or not section["critical"], f"unknown critical section of kind {section['kind']}")
    return minor, sections


def check_crcs(data, sections):
    """All of them, also those that an ordinary reader leaves for later."""
    for section in sorted(sections, key=lambda section: section["kind"] >= FIRST_DATA_KIND):
        start = section["offset_bytes"]
        found = zlib.crc32(data[start : start + section["length_bytes"]])
        need(found == section["crc32"], f"{section['name']} is damaged: CRC-32 {found:08x}")


class Ranges:
    """Hands out a table in ranges that follow each other."""

    def __init__(self, items, what):
        self.items, self.what, self.next = items, what, 0

    def take(self, first, count):
        need(first == self.next and first + count <= len(self.items), f"a wrong range of {self.what}")
        self.next += count
        return self.items[first : first + count]

    def finish(self):
        need(self.next == len(self.items), f"{self.what} that belong to nothing")


class Names(Ranges):
    def take(self, first, count):
        return super().take(first, count).decode("utf-8")


class File:
    def __init__(self, data):
        self.minor, self.sections = read_sections(data)
        check_crcs(data, self.sections)
        self.data = data
        self.by_kind = {section["kind"]: section for section in self.sections if section["kind"] != 256}
        names = Names(self.raw(2), "names")
        try:
            names.items.decode("utf-8")
            self.read_tables(names)
        except UnicodeDecodeError as error:
            raise Damaged(f"names are not UTF-8: {error}") from error
        if self.minor == 0:
            names.finish()
        self.check_references()

    def raw(self, kind):
        section = self.by_kind.get(kind)
        if section is None:
            return b""
        return self.data[section["offset_bytes"] :][: section["length_bytes"]]

    def records(self, kind):
        section = self.by_kind.get(kind)
        if section is None:
            return []
        name, code = TABLES[kind]
        step, ours = section["record_bytes"], struct.calcsize(code)
        need(step == ours or (step > ours and self.minor > 0), f"records of {name} have {step} bytes")
        table = self.raw(kind)
        return [struct.unpack_from(code, table, at) for at in range(0, len(table), step)]

    def read_tables(self, names):
        extent = self.records(1)
        need(len(extent) == 1, "not exactly one extent")
        extent = extent[0]
        self.extent = {
            "rest_box_min": extent[0:3],
            "rest_box_max": extent[3:6],
            "model_size_metres": extent[6],
            "vertex_box_min": extent[7:10],
            "vertex_box_max": extent[10:13],
            "fade_overshoot_metres": extent[13],
        }
        tracks = Ranges(self.records(4), "tracks")
        words = Ranges([word for (word,) in self.records(5)], "held frames")
        # Names follow each other in this order of tables.
        self.clips = [self.clip(record, tracks, words, names) for record in self.records(3)]
        tracks.finish()
        words.finish()
        self.nodes = [
            {
                "name": names.take(r[0], r[1]),
                "parent": optional(r[2]),
                "depth": r[3],
                "source_node": r[4],
                "rest_matrix_in_pool": optional(r[5]),
                "rest_translation": r[6:9],
                "rest_rotation": r[9:13],
                "rest_scale": r[13:16],
            }
            for r in self.records(7)
        ]
        self.attachments = [
            {"name": names.take(r[0], r[1]), "node": r[2], "bone": r[3], "node_from_attachment": rows(r[4:16])}
            for r in self.records(10)
        ]
        lods = Ranges(self.records(12), "lods")
        self.parts = [self.part(record, lods, names) for record in self.records(11)]
        lods.finish()
        self.materials = [
            {
                "name": names.take(r[0], r[1]),
                "base_color": r[2:6],
                "image": optional(r[6]),
                "wrap_u": number(WRAPS, r[7], "wrap u"),
                "wrap_v": number(WRAPS, r[8], "wrap v"),
                "alpha_mode": number(ALPHA_MODES, r[9], "alpha mode"),
                "alpha_cutoff": r[10],
                **flags(MATERIAL_FLAGS, r[11]),
            }
            for r in self.records(13)
        ]
        image_bytes = Ranges(self.raw(192), "image bytes")
        self.images = [
            {
                "name": names.take(r[0], r[1]),
                "format": number(IMAGE_FORMATS, r[2], "image format"),
                "crc32": zlib.crc32(image_bytes.take(r[3], r[4])),
                "length_bytes": r[4],
            }
            for r in self.records(14)
        ]
        image_bytes.finish()
        mask_words = Ranges([word for (word,) in self.records(21)], "mask words")
        self.masks = [
            {"name": names.take(r[0], r[1]), "words": mask_words.take(r[2], r[3])} for r in self.records(20)
        ]
        mask_words.finish()
        self.local_records = self.records(17)
        self.bones = [{"node": optional(r[0]), "bone_from_bind": rows(r[1:13])} for r in self.records(8)]
        self.constant_pool = self.records(9)
        self.page_sets = self.read_page_sets()
        self.hashes = [{"of": number(HASHES, r[0], "hash"), "sha256": r[1].hex()} for r in self.records(16)]
        self.attributes = [
            {"semantic": number(SEMANTICS, r[0], "semantic"), "offset_bytes": r[1]} for r in self.records(15)
        ]
        self.metadata = Metadata(self.raw(64)).read() if 64 in self.by_kind else None

    def clip(self, r, tracks, words, names):
        return {
            "name": names.take(r[0], r[1]),
            "duration_seconds": r[2],
            "start_seconds": r[3],
            "source_rate_hz": r[4] or None,
            "mode": number(MODES, r[5], "clip mode"),
            "bounds": bounds(r[6:16]),
            "loop_gap_metres": r[16],
            "tracks": [
                {
                    "page_set": t[0],
                    "page": t[1],
                    "first_texel": t[2],
                    "header_texels": t[3],
                    "frames": t[4],
                    "intervals": t[5],
                    "elements_per_frame": t[6],
                    "texels_per_element": t[7],
                    "interpolation": number(INTERPOLATIONS, t[8], "interpolation"),
                    "held_frames": words.take(t[9], t[10]),
                    "first_record": t[11],
                    "stored_frames": t[12] if t[3] else t[4],
                }
                for t in tracks.take(r[17], r[18])
            ],
        }

    def part(self, r, lods, names):
        return {
            "name": names.take(r[0], r[1]),
            "material": r[2],
            "lods": [
                {"first_index": lod[0], "index_count": lod[1], "threshold": lod[2]} for lod in lods.take(r[3], r[4])
            ],
            "bounds": bounds(r[5:15]),
            "source_node": r[15],
            "source_mesh": r[16],
            "source_primitive": r[17],
            "first_vertex": r[18],
            "vertex_count": r[19],
            "source_vertex_count": r[20],
            **flags(PART_FLAGS, r[21]),
        }

    def read_page_sets(self):
        pages = {(s["owner"], s["number"]): s for s in self.sections if s["kind"] == 256}
        sets = []
        for owner, (content, encoding, texel_format, width, height, count) in enumerate(self.records(6)):
            need(count <= 255, f"page set {owner} has {count} pages")
            sections = [pages.pop((owner, page), None) for page in range(count)]
            need(None not in sections, f"page set {owner} lacks a page")
            texel_format = number(TEXEL_FORMATS, texel_format, "texel format")
            page_bytes = width * height * TEXEL_CODES[texel_format][1]
            need(all(s["length_bytes"] == page_bytes for s in sections), f"page set {owner}: wrong page length")
            mixed = FORMATS[number(ENCODINGS, encoding, "encoding")] != (number(CONTENTS, content, "content"), texel_format)
            need(not mixed, f"page set {owner}: content, encoding and texel format")
            sets.append(
                {
                    "content": number(CONTENTS, content, "content"),
                    "encoding": number(ENCODINGS, encoding, "encoding"),
                    "texel_format": texel_format,
                    "width": width,
                    "height": height,
                    "page_offsets_bytes": [s["offset_bytes"] for s in sections],
                }
            )
        need(not pages, "pages that belong to no page set")
        return sets

    def check_references(self):
        """What decoding relies on."""
        for i, node in enumerate(self.nodes):
            need(node["parent"] is None or node["parent"] < i, f"node {i}: its parent does not come first")
        for clip in self.clips:
            for track in clip["tracks"]:
                need(track["page_set"] < len(self.page_sets), f"clip {clip['name']!r}: no such page set")
                page_set = self.page_sets[track["page_set"]]
                need(track["page"] < len(page_set["page_offsets_bytes"]), f"clip {clip['name']!r}: no such page")
                need(track["frames"] == track["intervals"] + 1, f"clip {clip['name']!r}: frames and intervals")
                texels = track["stored_frames"] * track["elements_per_frame"] * track["texels_per_element"]
                end = track["first_texel"] + track["header_texels"] + texels
                need(end <= page_set["width"] * page_set["height"], f"clip {clip['name']!r} leaves its page")
                if page_set["content"] == "local":
                    self.check_local_track(track, page_set, f"clip {clip['name']!r}")
                    continue
                if page_set["content"] in ("vertices", "normals"):
                    self.check_vertex_track(track, page_set, f"clip {clip['name']!r}")
                    continue
                need(track["first_record"] == 0 and track["header_texels"] == 0, f"clip {clip['name']!r}: local fields")
                need(track["elements_per_frame"] == len(self.bones), f"clip {clip['name']!r}: elements")
                need(track["texels_per_element"] == 3, f"clip {clip['name']!r}: texels of an element")
        for mask in self.masks:
            need(len(mask["words"]) == -(-len(self.nodes) // 32), f"mask {mask['name']!r}: words")
        for i, bone in enumerate(self.bones):
            need(bone["node"] is None or bone["node"] < len(self.nodes), f"bone {i}: no such node")
        for attachment in self.attachments:
            need(attachment["bone"] < len(self.bones), f"attachment {attachment['name']!r}: no such bone")

    def check_vertex_track(self, track, page_set, what):
        header = 3 * len(self.parts) if page_set["encoding"] == "position16" else 0
        need(track["first_record"] == 0 and track["header_texels"] == header, f"{what}: header of a vertex track")
        vertices = max((part["first_vertex"] + part["vertex_count"] for part in self.parts), default=0)
        need(track["elements_per_frame"] == vertices, f"{what}: elements")
        need(track["texels_per_element"] == 1, f"{what}: texels of an element")

    def check_local_track(self, track, page_set, what):
        need(track["texels_per_element"] == 1, f"{what}: texels of an element")
        if track["header_texels"]:
            numbers_per_texel = TEXEL_CODES[page_set["texel_format"]][1] // 4
            need(track["header_texels"] == -(-track["frames"] // numbers_per_texel), f"{what}: frame table")
            stored = [self.stored_frame(track, frame) for frame in range(track["frames"])]
            need(max(stored) < track["stored_frames"], f"{what}: a frame that is not stored")
        first, count = track["first_record"], len(self.nodes)
        need(first + count <= len(self.local_records), f"{what}: local records")
        need(count == 0 or first % count == 0, f"{what}: its local records start inside a run")
        for rotation, translation, scale, ranges in self.local_records[first : first + count]:
            if rotation & (ANIMATED | MATRIX) == MATRIX:
                need((rotation & ~MATRIX) + 3 <= len(self.constant_pool), f"{what}: a matrix")
                continue
            for word in (rotation, translation, scale):
                limit = track["elements_per_frame"] if word & ANIMATED else len(self.constant_pool)
                need(word & ~ANIMATED < limit, f"{what}: a slot or a constant")
            moving = (translation >> 31) + (scale >> 31)
            if moving and page_set["encoding"] == "local8":
                need(ranges + moving <= len(self.constant_pool), f"{what}: ranges")

    def tables(self):
        """Everything but the bulk data."""
        vertices, indices = self.by_kind.get(128), self.by_kind.get(129)
        mesh = vertices and {
            "stride_bytes": vertices["record_bytes"],
            "attributes": self.attributes,
            "vertex_count": vertices["record_count"],
            "index_count": indices["record_count"],
        }
        return {
            "version": [1, self.minor],
            "sections": self.sections,
            "extent": self.extent,
            "nodes": self.nodes,
            "bones": self.bones,
            "clips": self.clips,
            "page_sets": self.page_sets,
            "constant_pool": self.constant_pool,
            "local_records": self.local_records,
            "masks": self.masks,
            "attachments": self.attachments,
            "parts": self.parts,
            "materials": self.materials,
            "images": self.images,
            "mesh": mesh,
            "hashes": self.hashes,
            "metadata": self.metadata,
        }

    def find_clip(self, wanted):
        by_name = [clip for clip in self.clips if clip["name"] == wanted]
        if not by_name and wanted.isdigit() and int(wanted) < len(self.clips):
            by_name = [self.clips[int(wanted)]]
        need(by_name, f"no clip {wanted!r}; there are {[clip['name'] for clip in self.clips]}")
        return by_name[0]

    def find_track(self, clip, page_set=None):
        posed = [t for t in clip["tracks"] if self.page_sets[t["page_set"]]["content"] in ("local", "rows")]
        local_first = sorted(posed, key=lambda t: self.page_sets[t["page_set"]]["content"] != "local")
        found = [t for t in local_first if page_set is None or t["page_set"] == page_set]
        need(found, f"clip {clip['name']!r} has no track in page set {page_set}")
        return found[0]

    def palette(self, clip, time_seconds, page_set=None):
        """model_from_bind of every bone. Of rows, rounded to f32 after every operation; of local tracks, in f64."""
        track = self.find_track(clip, page_set)
        a, b, blend = self.frames(track, time_seconds, clip["duration_seconds"])
        if self.page_sets[track["page_set"]]["content"] == "local":
            nodes = self.model_from_nodes(track, a, b, blend)
            return [
                IDENTITY if bone["node"] is None else multiply(nodes[bone["node"]], bone["bone_from_bind"])
                for bone in self.bones
            ]
        keep = f32(1.0 - blend)
        mix = lambda x, y: f32(f32(x * keep) + f32(y * blend))
        return [
            [list(map(mix, row_a, row_b)) for row_a, row_b in zip(self.bone_rows(track, a, bone), self.bone_rows(track, b, bone))]
            for bone in range(len(self.bones))
        ]

    @staticmethod
    def frames(track, time_seconds, duration):
        """Both frames and the share of the later one."""
        a, b, blend = frame_pair(time_seconds, duration, track["intervals"])
        held = track["held_frames"] and track["held_frames"][a // 32] >> (a % 32) & 1
        if track["interpolation"] == "step" or held:
            blend = 1.0 if blend > f32(0.999) else 0.0
        return a, b, blend

    def bone_rows(self, track, frame, bone):
        page_set = self.page_sets[track["page_set"]]
        code, texel_bytes = TEXEL_CODES[page_set["texel_format"]]
        first = track["first_texel"] + track["header_texels"]
        first += (frame * track["elements_per_frame"] + bone) * track["texels_per_element"]
        page = page_set["page_offsets_bytes"][track["page"]]
        return [struct.unpack_from(code, self.data, page + (first + row) * texel_bytes) for row in range(3)]

    def model_from_nodes(self, track, a, b, share):
        """Down the hierarchy: parents come before their children."""
        model = []
        for number, node in enumerate(self.nodes):
            local = self.parent_from_node(track, self.local_records[track["first_record"] + number], a, b, share)
            model.append(local if node["parent"] is None else multiply(model[node["parent"]], local))
        return model

    def parent_from_node(self, track, record, a, b, share):
        rotation, translation, scale, ranges = record
        pool = self.constant_pool
        if rotation & (ANIMATED | MATRIX) == MATRIX:
            return [list(row) for row in pool[rotation & ~MATRIX :][:3]]
        if rotation & ANIMATED:
            quaternions = [self.rotation(self.element(track, frame, rotation & ~ANIMATED)) for frame in (a, b)]
            q = between_rotations(*quaternions, share)
        else:
            q = pool[rotation]
        values = []
        for word, entry in ((translation, ranges), (scale, ranges + (translation >> 31))):
            if word & ANIMATED:
                in_range = pool[entry] if entry < len(pool) else None
                x, y = (self.value(self.element(track, frame, word & ~ANIMATED), in_range) for frame in (a, b))
                values.append([p * (1.0 - share) + q * share for p, q in zip(x, y)])
            else:
                values.append(pool[word][:3])
        return transform(values[0], q, values[1])

    def element(self, track, frame, slot):
        """The numbers of a texel of a local track."""
        page_set = self.page_sets[track["page_set"]]
        code, texel_bytes = TEXEL_CODES[page_set["texel_format"]]
        texel = track["first_texel"] + track["header_texels"]
        texel += self.stored_frame(track, frame) * track["elements_per_frame"] + slot
        page = page_set["page_offsets_bytes"][track["page"]]
        return struct.unpack_from(code, self.data, page + texel * texel_bytes)

    def stored_frame(self, track, frame):
        if track["header_texels"] == 0:
            return frame
        page_set = self.page_sets[track["page_set"]]
        table = page_set["page_offsets_bytes"][track["page"]]
        table += track["first_texel"] * TEXEL_CODES[page_set["texel_format"]][1]
        return struct.unpack_from("<I", self.data, table + frame * 4)[0]

    @staticmethod
    def rotation(texel):
        if len(texel) == 4:
            return [min(max(number, -1.0), 1.0) if math.isfinite(number) else 0.0 for number in texel]
        w0, w1 = texel
        numbers = [w0 & 0xFFFFF, w0 >> 20 | (w1 & 0xFF) << 12, w1 >> 8 & 0xFFFFF]
        q = [(number - 524287) * math.sqrt(0.5) / 524287 for number in numbers]
        total = sum(number * number for number in q)
        if total > 1.0:
            q = [number / math.sqrt(total) for number in q]
        q.insert(w1 >> 28 & 3, math.sqrt(max(0.0, 1.0 - total)))
        return [-number for number in q] if w1 >> 30 & 1 else q

    @staticmethod
    def value(texel, in_range):
        if len(texel) == 4:
            return [min(max(number, -1e38), 1e38) if math.isfinite(number) else 0.0 for number in texel[:3]]
        w0, w1 = texel
        numbers = [w0 & 0x1FFFFF, w0 >> 21 | (w1 & 0x3FF) << 11, w1 >> 10 & 0x1FFFFF]
        return [least + number * in_range[3] / 2097151 for least, number in zip(in_range, numbers)]

    def vertices(self, clip, time_seconds):
        """Position and normal of every vertex from the clip's vertex pages, in f64."""
        tracks = {self.page_sets[t["page_set"]]["encoding"]: t for t in clip["tracks"]}
        track = tracks.get("position16") or tracks.get("position32")
        need(track, f"clip {clip['name']!r} has no vertex track")
        a, b, blend = self.frames(track, time_seconds, clip["duration_seconds"])
        mix = lambda x, y: [p * (1.0 - blend) + q * blend for p, q in zip(x, y)]
        found = []
        for number, part in enumerate(self.parts):
            for vertex in range(part["first_vertex"], part["first_vertex"] + part["vertex_count"]):
                at = [self.vertex(tracks, track, number, vertex, frame) for frame in (a, b)]
                position, normal = mix(at[0][0], at[1][0]), mix(at[0][1], at[1][1])
                found.append({"position": position, "normal": normalized(normal)})
        return found

    def vertex(self, tracks, track, part, vertex, frame):
        texel = self.texel(track, frame, vertex)
        if "position32" in tracks:
            return list(texel[:3]), list(self.texel(tracks["normal16"], frame, vertex)[:3])
        page_set = self.page_sets[track["page_set"]]
        start = page_set["page_offsets_bytes"][track["page"]] + track["first_texel"] * 8 + part * 24
        corners = struct.unpack_from("<6f", self.data, start)
        position = [low + n / 65535 * (high - low) for n, low, high in zip(texel, corners[:3], corners[3:])]
        x, y = (max(byte / 127, -1.0) for byte in struct.unpack("<2b", struct.pack("<H", texel[3])))
        z = 1.0 - abs(x) - abs(y)
        fold = max(-z, 0.0)
        sign = lambda v: -1.0 if v < 0.0 else 1.0
        return position, normalized([x - fold * sign(x), y - fold * sign(y), z])

    def texel(self, track, frame, element):
        page_set = self.page_sets[track["page_set"]]
        code, texel_bytes = TEXEL_CODES[page_set["texel_format"]]
        texel = track["first_texel"] + track["header_texels"] + frame * track["elements_per_frame"] + element
        return struct.unpack_from(code, self.data, page_set["page_offsets_bytes"][track["page"]] + texel * texel_bytes)

    def attribute(self, semantic):
        """One tuple a vertex; None if the vertices have no such attribute."""
        vertices = self.by_kind.get(128)
        found = [a for a in self.attributes if a["semantic"] == semantic]
        if vertices is None or not found:
            return None
        code, stride = SEMANTIC_CODES[SEMANTICS.index(semantic)], vertices["record_bytes"]
        start = vertices["offset_bytes"] + found[0]["offset_bytes"]
        return [struct.unpack_from(code, self.data, start + v * stride) for v in range(vertices["record_count"])]

    def positions(self, palette):
        """Skinned positions of all vertices, in model space."""
        found = [self.attribute(semantic) for semantic in ("position", "bones", "weights")]
        if None in found:
            return None
        skinned = []
        for (x, y, z), bones, weights in zip(*found):
            point = [0.0, 0.0, 0.0]
            for bone, weight in zip(bones, weights):
                for row in range(3):
                    r = palette[bone][row]
                    point[row] += weight * (r[0] * x + r[1] * y + r[2] * z + r[3])
            skinned.append(point)
        return skinned

    def attachment_matrices(self, palette):
        return {
            a["name"]: multiply(
                multiply(palette[a["bone"]], inverse(self.bones[a["bone"]]["bone_from_bind"])), a["node_from_attachment"]
            )
            for a in self.attachments
        }


class Metadata:
    """The metadata section: bincode's "legacy" layout."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def read(self):
        try:
            found = {
                "generator": self.string(),
                "source_names": self.list(self.string),
                "settings": self.list(lambda: [self.string(), self.string()]),
                "accuracy": self.list(self.accuracy),
            }
        except (struct.error, UnicodeDecodeError) as error:
            raise Damaged(f"metadata: {error}") from error
        need(self.at == len(self.data), "metadata: bytes after its end")
        return found

    def accuracy(self):
        return {
            "model_size_metres": self.one("<d"),
            "playback": self.figures(),
            "clips": self.list(self.figures),
            "left_out_max_metres": self.one("<d"),
            "left_out_intervals": self.one("<I"),
            "largest_shift_seconds": self.one("<d"),
            "influence_loss_max_metres": self.one("<d"),
            "influence_loss_vertices": self.one("<I"),
            "morph_loss_max_metres": self.one("<d"),
            "packing_max_metres": self.one("<d"),
            "packing_normal_max_degrees": self.one("<d"),
            "total_max_metres": self.one("<d"),
            "exhaustive": self.boolean(),
        }

    def figures(self):
        names = ["max_metres", "p999_metres", "mean_metres", "rms_metres", "normal_max_degrees"]
        found = {name: self.one("<d") for name in names}
        found["worst"] = self.worst() if self.boolean() else None
        found["samples"] = self.one("<Q")
        return found

    def worst(self):
        found = {name: self.one("<I") for name in ["clip", "bone", "part", "vertex"]}
        found["time_seconds"] = self.one("<d")
        return found

    def one(self, code):
        (value,) = struct.unpack_from(code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def boolean(self):
        value = self.one("<B")
        need(value <= 1, "metadata: a flag that is neither 0 nor 1")
        return value == 1

    def string(self):
        length = self.one("<Q")
        need(length <= len(self.data) - self.at, "metadata: a string is cut off")
        self.at += length
        return self.data[self.at - length : self.at].decode("utf-8")

    def list(self, entry):
        count = self.one("<Q")
        need(count <= len(self.data) - self.at, "metadata: a list is cut off")
        return [entry() for _ in range(count)]


def normalized(v):
    length = math.sqrt(sum(n * n for n in v))
    return [n / length for n in v] if length > 1e-20 else [0.0, 0.0, 1.0]


def clip_time(seconds, duration, mode):
    """Time in the clip for any time since it was started."""
    if not duration > 0.0:
        return 0.0
    if mode == "once":
        return min(max(seconds, 0.0), duration)
    period = 2.0 * duration if mode == "ping-pong" else duration
    time = math.fmod(seconds, period)
    if time < 0.0:
        time += period
    if time >= period:
        time = 0.0
    return 2.0 * duration - time if mode == "ping-pong" and time > duration else time


def frame_pair(time_seconds, duration, intervals):
    if intervals == 0 or not duration > 0.0:
        return 0, 0, 0.0
    phase = min(max(time_seconds / duration, 0.0), 1.0) * intervals
    a = min(math.floor(phase), intervals - 1)
    return a, a + 1, f32(phase - a)


def between_rotations(a, b, t):
    """The shorter way, by a share that makes the angle pass evenly."""
    dot = sum(x * y for x, y in zip(a, b))
    d, u = abs(dot), t - 0.5
    k = (1.0904 + d * (-3.2452 + d * (3.55645 - 1.43519 * d))) * u * u
    k += 0.848013 + d * (-1.06021 + 0.215638 * d)
    share = t + t * u * (t - 1.0) * k
    signed = -share if dot < -1e-5 else share
    total = [x * (1.0 - share) + y * signed for x, y in zip(a, b)]
    length = math.sqrt(sum(x * x for x in total))
    return [x / length for x in total] if length > 1e-10 else [0.0, 0.0, 0.0, 1.0]


def transform(translation, rotation, scale):
    """Rows of translation x rotation x scale."""
    x, y, z, w = rotation
    turned = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return [[number * s for number, s in zip(row, scale)] + [t] for row, t in zip(turned, translation)]


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def optional(value):
    return None if value == NONE else value


def rows(values):
    return [list(values[0:4]), list(values[4:8]), list(values[8:12])]


def bounds(values):
    return {
        "box_min": values[0:3],
        "box_max": values[3:6],
        "sphere_center": values[6:9],
        "sphere_radius": values[9],
    }


def flags(names, bits):
    need(bits >> len(names) == 0, "reserved flags are not 0")
    return {name: bool(bits >> bit & 1) for bit, name in enumerate(names)}


def multiply(a, b):
    """The product of two matrices of three rows."""
    product = [[sum(a[r][k] * b[k][c] for k in range(3)) for c in range(4)] for r in range(3)]
    for r in range(3):
        product[r][3] += a[r][3]
    return product


def inverse(m):
    a, b, c = ([m[r][k] for r in range(3)] for k in range(3))
    cross = lambda u, v: [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    determinant = sum(x * y for x, y in zip(a, bc))
    need(determinant != 0.0, "a bone of an attachment cannot be inverted")
    inverted = [[x / determinant for x in row] for row in (bc, ca, ab)]
    return [row + [-sum(row[k] * m[k][3] for k in range(3))] for row in inverted]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--clip", help="name or number")
    parser.add_argument("--time", type=float, action="append", default=[], metavar="SECONDS")
    parser.add_argument("--page-set", type=int, metavar="N", help="the track in this page set")
    parser.add_argument("--wrap", action="store_true", help="times are since the clip was started: apply its mode")
    parser.add_argument("--positions", action="store_true", help="also the skinned vertices")
    parser.add_argument("--vertices", action="store_true", help="positions and normals from vertex pages, no palette")
    parser.add_argument("--attachments", action="store_true", help="also model_from_attachment of every attachment")
    options = parser.parse_args()
    if (options.clip is None) != (not options.time):
        parser.error("--clip and --time go together")

    with open(options.file, "rb") as opened:
        file = File(opened.read())
    if options.clip is None:
        result = file.tables()
    else:
        clip = file.find_clip(options.clip)
        samples = []
        for time_seconds in options.time:
            if options.wrap:
                time_seconds = clip_time(time_seconds, clip["duration_seconds"], clip["mode"])
            if options.vertices:
                found = file.vertices(clip, time_seconds)
                samples.append({"clip": clip["name"], "time_seconds": time_seconds, "vertices": found})
                continue
            palette = file.palette(clip, time_seconds, options.page_set)
            sample = {"clip": clip["name"], "time_seconds": time_seconds, "palette": palette}
            if options.positions:
                sample["positions"] = file.positions(palette)
            if options.attachments:
                sample["attachments"] = file.attachment_matrices(palette)
            samples.append(sample)
        result = samples[0] if len(samples) == 1 else {"samples": samples}
    json.dump(result, sys.stdout)
    print()


if __name__ == "__main__":
    try:
        main()
    except (Damaged, OSError) as error:
        sys.exit(f"animtex_reader.py: {error}")
