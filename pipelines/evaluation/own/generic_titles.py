"""Words that a title may be made of without saying what its section is about."""

from __future__ import annotations

_LISTS = {
    "en": """a about access acknowledgements acknowledgments additional advanced appendices appendix authors
        background basic basics bibliography bugs changes chapter classes code colophon command commands
        common conclusion conclusions constants contents contributors copying copyright credits data
        definition definitions description descriptions detailed details documentation edition errors
        example examples faq features file files final first foreword format function functions further
        general getting global glossary guide history home how index information input intro introduction
        introductory issues legal licence license licenses licensing list lists macro macros main manual
        material methods misc miscellaneous more name names new news note notes notice object objects of one
        operation operations option options other output overview page parameters part parts preface
        preliminaries procedure procedures program programs properties public purpose quick read reading
        readme reference references related release remarks requirements resources revision scope second
        section see set show simple special start started structure style subject summary support synopsis
        syntax system table tables tasks terms test text the third three title topics tutorial two type
        typedef types usage use user users using value values variables various version versions welcome
        what your""",
    "de": """abbildungsverzeichnis allgemein allgemeine allgemeines anhang anmerkungen aufbau autoren befehle
        beispiel beispiele beschreibung copyright einführung einleitung funktionen glossar grundlagen
        hinweise index inhalt inhaltsverzeichnis informationen kapitel literatur lizenz lizenzen optionen
        rechtliches register schluss sonstiges stichwortverzeichnis syntax tabellenverzeichnis übersicht
        überblick verschiedenes verwendung verzeichnis vorwort weitere willkommen zusammenfassung""",
    "fr": """annexe annexes aperçu avant bibliographie exemple exemples généralités glossaire notes options
        préface présentation propos remarques résumé sommaire utilisation""",
    "es": """apéndice bibliografía conclusiones contenido descripción ejemplo ejemplos glosario índice
        introducción notas opciones prefacio prólogo resumen sintaxis uso""",
    "ja": """はじめに まえがき 序文 序章 概要 概説 概論 付録 索引 目次 用語集 参考文献 参考 あとがき
        例 まとめ 使い方 使用例 その他 著作権 ライセンス 一般 基本 注意 前書き 導入 入門""",
    "zh": """简介 介绍 概述 概览 概要 前言 序言 附录 索引 目录 术语表 参考文献 参考 示例 例子 总结
        小结 其他 其它 版权 许可 说明 注意 内容 简单 使用 用法 基础 入门 绪论 引言 結論 簡介
        目錄""",
    "ko": """여러가지 내용 소개 개요 서론 머리말 부록 색인 목차 찾아보기 용어집 참고 참고문헌 예제
        요약 기타 저작권 라이선스 일반 시작하기 결론 도움말 옵션""",
}
GENERIC = frozenset(word for words in _LISTS.values() for word in words.split())
"""They are looked up without regard to the language: titles are short, and often of two languages."""
