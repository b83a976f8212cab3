// SPDX-License-Identifier: Apache-2.0

/// The style of our SVG: light or dark as the reader prefers, without external resources. Each look differs from its
/// neighbours by more than its colour.
enum SVGStyle {
    /// Patterns, for looks that colour alone would not distinguish.
    static let patterns = """
        <defs>
        <pattern id="offstage-rising" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="half" width="4" height="4"/><rect class="line" width="2" height="4"/></pattern>
        <pattern id="offstage-falling" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect class="half" width="4" height="4"/><rect class="line" width="2" height="4"/></pattern>
        </defs>
        """

    static let text = """
        .offstage-timeline{--ground:#fff;--ink:#1d2329;--faint:#68727d;--grid:#e3e7eb;--ahead:#f3f6f9;--good:#2f9e63;
        --half:#f2d08a;--line:#b57600;--bad:#c8322f;--busy:#2b74d8;--calm:#9cc0ee;--rest:#c6ced6;--off:#8b949e;
        font:11px system-ui,"Noto Sans","DejaVu Sans",sans-serif}
        @media(prefers-color-scheme:dark){.offstage-timeline{--ground:#14181c;--ink:#e4e8ec;--faint:#94a0ac;--grid:#2a3138;
        --ahead:#1b2127;--good:#3fb97a;--half:#5c4514;--line:#e0a53a;--bad:#ef6a63;--busy:#5b9bf0;--calm:#36587f;
        --rest:#49535d;--off:#7d8894}}
        .offstage-timeline text{fill:var(--ink)}
        .offstage-timeline .head{font-size:14px;font-weight:600}
        .offstage-timeline .group{font-weight:600}
        .offstage-timeline .faint{fill:var(--faint)}
        .offstage-timeline .ground{fill:var(--ground)}
        .offstage-timeline .ahead{fill:var(--ahead)}
        .offstage-timeline .grid{stroke:var(--grid);fill:none}
        .offstage-timeline .now{stroke:var(--bad);fill:none}
        .offstage-timeline .half{fill:var(--half)}
        .offstage-timeline .line{fill:var(--line)}
        .offstage-timeline .succeeded,.offstage-timeline .online,.offstage-timeline .mains{fill:var(--good)}
        .offstage-timeline .broken,.offstage-timeline .metered,.offstage-timeline .limited{fill:url(#offstage-rising)}
        .offstage-timeline .expired,.offstage-timeline .battery{fill:url(#offstage-falling)}
        .offstage-timeline .failed,.offstage-timeline .offline{fill:var(--bad)}
        .offstage-timeline .underWay,.offstage-timeline .foreground{fill:var(--busy)}
        .offstage-timeline .background{fill:var(--calm)}
        .offstage-timeline .suspended,.offstage-timeline .daemon{fill:var(--rest)}
        .offstage-timeline .paused,.offstage-timeline .held{fill:none;stroke:var(--line)}
        .offstage-timeline .cancelled{fill:none;stroke:var(--off)}
        .offstage-timeline .mark{fill:var(--ground);stroke:var(--busy);stroke-width:1.5}
        """
}
