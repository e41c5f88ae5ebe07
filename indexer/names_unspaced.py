"""Names in Chinese, Japanese and Korean: what their writing marks as one.

There is no capital letter to go by, so only what is marked is taken: quoted titles, runs of katakana,
Japanese compounds between kana, names before an honorific or ending in a word for a kind of place or body,
transliterated names, and stretches that a text repeats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from .names_lists import GENERIC_DENSE, word_set
from .names_tokens import Found, NameKind

_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff"
_KATA = "\u30a1-\u30fa\u30fc"
IS_DENSE = re.compile(rf"[{_HAN}\u3041-\u30ff\uac00-\ud7a3]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_QUOTED = re.compile(r"[「『《〈“]([^「」『』《》〈〉“”\n]{2,40})[」』》〉”]")
_CLAUSE = re.compile(r"[。，、！？；,;]")

_JAPANESE = re.compile(rf"[{_HAN}{_KATA}]{{2,24}}(?:[・·＝][{_KATA}]{{2,16}})*")
_JA_CORE = re.compile(
    r"ー*[後新各旧全同約第他今再毎]?(?P<core>.+?)[中上下内外後前時等用他毎無付間先側先済向分別]?\Z"
)
_JA_PLAIN_ENDING = re.compile(r"(?:可能|不能|必要|的|的安全|同様|以外|以上|以下|参照)\Z")
_KATA_RUN = re.compile(rf"[{_KATA}]")
_PLAIN_JAPANESE = word_set(
    """以下 以上 以外 上記 下記 場合 時点 必要 可能 使用 利用 提供 実行 指定 参照 説明 存在 変更 追加 表示
    一般 通常 特定 同様 同時 全体 自分 自身 方法 場所 現在 最新 最初 最後 多数 複数 一部 各種 対応 関連
    問題 注意 内容 目的 理由 結果 普通 簡単 適切 重要 有用 便利 非常 完全 直接 今後 今日 可能性 基本的
    一般的 多数派 十分 大部分 最終的 例外 ファイル ユーザー ユーザ システム コマンド プログラム パッケージ
    リスト メニュー オプション サイズ データ データー エラー インストール サポート チェック テスト ゲーム
    フォント バックアップ ガイド ティップ コピー アクセス クリック インターフェース アプリケーション
    ソフトウェア ソフトウェアー ディレクトリ ディレクトリー フォルダ バージョン ライン スクリーン
    ウィンドウ キーボード ディスク マシン コンピュータ コンピューター ネットワーク サーバー サーバ
    クライアント プロセス アーカイブ ソース コード ルール マッチ スタイル レベル フォーマット アドレス
    ユーティリティー 自動化 自動的 テキスト タイプ ケース パラメータ パラメーター グループ モード
    メッセージ ページ サービス ツール スクリプト セクション"""
)
_HONOURED = re.compile(rf"([{_HAN}{_KATA}・]{{2,10}}?)(?:さん|様|氏|先生|女士|博士|教授|選手|監督)")

_GLUE = (
    "的了在是和与及或为以不有这该其等将可会对从到被把也就都而但所之您你我他她它们一些此中下时后前用使能要需请"
    "如果则并且于由过很更最已经没什么怎样哪里着地得至比每个名位第次年月日号约近又只还因向给让跟同并当即且若虽"
)
_HAN_STRETCH = re.compile(rf"[{_HAN}]{{2,}}")
_SEGMENT = re.compile(rf"[^{_GLUE}]{{2,12}}")
_KINDS = (
    "大学|学院|中学|公司|集团|银行|医院|博物馆|图书馆|教堂|大教堂|市|省|县|州|国|王国|共和国|帝国|王朝|河|江|湖|海|山|山脉"
    "|岛|群岛|半岛|海峡|战争|战役|革命|运动|奖|队|杯|联盟|联赛|协会|委员会|议会|党|条约|协定|法院|政府|机场|车站|铁路|大桥"
    "|体育场|公园|广场|剧院|报|日报|杂志|出版社|研究所|寄存器|指令|协议|接口|函数|命令|软件包"
)
_AFTER_KIND = (
    "支持|位于|使用|包含|包括|需要|提供|返回|设置|属于|实现|成立|举行|拥有|成为|击败|赢得|采用|发布|建立"
)
_OF_KIND = re.compile(rf"[{_HAN}]{{1,8}}?(?:{_KINDS})(?=\Z|{_AFTER_KIND})")
_MEASURE, _COUNTED = re.compile("[段家座支条所]"), re.compile("[一二两三四五六七八九十这该那每]")
_SOUNDS = (
    "阿艾爱埃安奥澳巴拜班邦鲍贝本彼伯博勃布茨查达戴丹道德登邓迪蒂蒙杜敦多厄恩尔法菲费芬弗佛夫福盖冈戈格葛根古圭哈海罕汉豪赫亨"
    "霍基吉加嘉贾杰金卡凯坎康考柯科克肯库奎昆拉莱赖兰朗劳勒雷黎里理利莉立列林琳留卢鲁路伦罗洛马玛迈麦曼梅门米密缪莫默姆木穆拿纳娜"
    "奈南内尼涅宁纽努诺欧帕派潘庞培佩彭皮平珀普顿齐奇恰乔钦琼丘让热日荣儒瑞若萨塞桑瑟森沙莎珊绍舍圣施史什舒斯思丝苏索塔泰坦汤唐特"
    "滕提廷图托瓦万旺威维韦魏温文翁沃乌伍西希锡夏肖谢辛欣雅亚延扬耶叶伊因英尤约泽扎詹珍芝朱兹祖佐"
)
_STRICT_SOUNDS = (
    "阿艾埃奥巴贝博布茨达戴蒂厄恩尔菲费弗佛夫戈格赫霍卡凯柯克拉莱勒雷卢鲁伦罗洛玛迈曼莫姆穆娜奈尼涅诺帕佩"
    "珀普顿萨塞瑟莎斯丝索塔坦特廷托瓦威维韦沃乌希夏雅亚耶伊扎兹佐兰马德加利森登里基吉杰"
)
_TRANSLITERATED = re.compile(rf"[{_SOUNDS}]{{1,7}}(?:[·・•‧][{_SOUNDS}]{{1,8}})+")
_FOREIGN = re.compile(rf"[{_STRICT_SOUNDS}]{{3,9}}")
_MOST_GRAMS = 400
_SHORTEST_GRAM, _LONGEST_GRAM = 3, 8

_KOREAN_WORD = re.compile(r"[\uac00-\ud7a3]{2,16}")
_OBJECT = re.compile(r"(?:에서는|으로는|에서|으로|을|를|의|와|과|은|는|이|가|에|도|로)\Z")
_SURE_PARTICLES = ("에서는", "으로는", "에서", "으로", "을", "를", "의")
_KOREAN_VERBS = re.compile(
    r"(?:하|되|있|없|않|같|이|한|된|할|될|시키|주|받|나|들|오|지|기|것|수|때|만|런|떤|든|면|니다|시오|세요|다고|으며|거나|려고|도록|므로)\Z"
)
_KOREAN_PLAIN = word_set(
    """경우 사용 설정 실행 필요 다음 방법 내용 부분 이름 정보 문제 지정 선택 확인 추가 변경 가능 자동 직접
    모든 다른 여러 이상 이하 현재 자신 전체 일부 그것 이것 사람 컴퓨터 시스템 파일 사용자 프로그램 마지막
    첫번째 대부분 여러가지"""
)


def find_unspaced(text: str) -> Iterator[Found]:
    """The marked names of the unspaced and Korean stretches of ``text``; they may overlap."""
    for match in _QUOTED.finditer(text):
        if IS_DENSE.search(match[1]) and not _CLAUSE.search(match[1]):
            yield _found(match, "term", 1)
    if _HANGUL.search(text):
        yield from _korean(text)
    if _KANA.search(text):
        yield from _japanese(text)
    else:
        yield from _chinese(text)


def _japanese(text: str) -> Iterator[Found]:
    for match in _HONOURED.finditer(text):
        yield _found(match, "name", 1)
    for match in _JAPANESE.finditer(text):
        core = _JA_CORE.match(match[0])
        run = core["core"] if core else ""
        if len(run) < 3 or _JA_PLAIN_ENDING.search(run) or run in _PLAIN_JAPANESE or run in GENERIC_DENSE:
            continue
        if core and (_KATA_RUN.search(run) or len(run) <= 12):
            start = match.start() + core.start("core")
            yield Found(run, start, start + len(run), "term")


def _chinese(text: str) -> Iterator[Found]:
    for match in _TRANSLITERATED.finditer(text):
        yield _found(match, "name")
    for match in _FOREIGN.finditer(text):
        yield _found(match, "name")
    stretches = [(match.start(), match[0]) for match in _HAN_STRETCH.finditer(text)]
    for start, stretch in stretches:
        for segment in _SEGMENT.finditer(stretch):
            named = _OF_KIND.match(segment[0])
            if named and 3 <= named.end() <= 9:
                at, end = segment.start(), segment.start() + named.end()
                counted = at > 0 and _MEASURE.match(stretch, at) and _COUNTED.match(stretch, at - 1)
                at += 1 if counted and named.end() > 3 else 0
                yield Found(stretch[at:end], start + at, start + end, "name")
    repeated = _repeated([segment for _, stretch in stretches for segment in _SEGMENT.findall(stretch)])
    for gram in repeated:
        at = text.find(gram)
        while at >= 0:
            yield Found(gram, at, at + len(gram), "term")
            at = text.find(gram, at + len(gram))


def last_segment(run: str) -> str | None:
    """The end of a run of Han characters behind the last that only holds a Chinese sentence together, if it
    is long enough to be a term."""
    found = re.split(f"[{_GLUE}]", run)[-1]
    return found if len(found) >= _SHORTEST_GRAM else None


def _repeated(segments: list[str]) -> list[str]:
    """The stretches of three characters and more that come twice, none of them within a longer one that
    comes as often."""
    counts: Counter[str] = Counter()
    for segment in segments[:_MOST_GRAMS]:
        for size in range(_SHORTEST_GRAM, min(len(segment), _LONGEST_GRAM) + 1):
            counts.update(segment[at : at + size] for at in range(len(segment) - size + 1))
    kept = {gram: times for gram, times in counts.items() if times > 1 and gram not in GENERIC_DENSE}
    inner = {
        part for gram, times in kept.items() for part in (gram[:-1], gram[1:]) if kept.get(part) == times
    }
    return sorted(gram for gram in kept if gram not in inner)


def _korean(text: str) -> Iterator[Found]:
    counts: Counter[str] = Counter()
    places: list[tuple[int, str, bool]] = []
    for match in _KOREAN_WORD.finditer(text):
        particle = _OBJECT.search(match[0])
        bare = match[0][: particle.start()] if particle else match[0]
        if len(bare) < 2 or bare in _KOREAN_PLAIN or bare in GENERIC_DENSE or _KOREAN_VERBS.search(bare):
            continue
        sure = particle is not None and particle[0] in _SURE_PARTICLES
        counts[bare] += 1
        places.append((match.start(), bare, sure))
    good = {
        bare for _, bare, sure in places if (sure and len(bare) > 3) or (counts[bare] > 1 and len(bare) > 2)
    }
    for start, bare, _ in places:
        if bare in good:
            yield Found(bare, start, start + len(bare), "term")


def _found(match: re.Match[str], kind: NameKind, group: int = 0) -> Found:
    return Found(" ".join(match[group].split()), match.start(group), match.end(group), kind)
