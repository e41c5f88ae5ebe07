"""The verbs that state relations in Chinese, Japanese and Korean: a line is ``type: stems``."""

from __future__ import annotations

import re

_ZH = """
sets: 设置|设定|置位
clears: 清除|清零
enables: 启用|使能|激活
disables: 禁用|关闭
requires: 需要|要求|必需|须有
depends on: 依赖于?|取决于
uses: 使用|采用|利用
supports: 支持
contains: 包含|包括|含有
returns: 返回
causes: 导致|引起|触发
replaces: 替代|取代|替换|代替
implements: 实现
inherits from: 继承自?
belongs to: 属于|隶属于?
is located in: 位于|坐落于|地处
was born in: 出生于|生于
died in: 逝世于|死于
founded: 创立|创建|创办|建立|成立
writes: 写入
reads: 读取
is connected to: 连接到?|相连
defeated: 击败|打败|战胜
won: 赢得|获得
wrote: 撰写|著有|创作
provides: 提供
defines: 定义
controls: 控制
creates: 生成|产生
"""
_JA = """
sets: 設定|セット
clears: クリア|消去
enables: 有効
disables: 無効
requires: 必要|要求
depends on: 依存
uses: 使用|利用|使い|使う|用い
supports: サポート|対応|支援
contains: 含む|含み|含んで|含ま
returns: 返す|返し
causes: 引き起こ
replaces: 置き換え|置換|代替
implements: 実装
inherits from: 継承
belongs to: 属する|属し|属す
is located in: 位置|所在|存在|ある
was born in: 生まれ|出生
founded: 設立|創設|創立|創業
writes: 書き込|書く
reads: 読み込|読み取|読む
is connected to: 接続
provides: 提供
defines: 定義
controls: 制御
creates: 作成|生成
defeated: 破っ|破る|倒し
won: 受賞|優勝
wrote: 執筆|著し
"""
_KO = """
sets: 설정
clears: 지우|삭제
enables: 활성화|켜
disables: 비활성화|끄
requires: 필요|요구
depends on: 의존
uses: 사용|이용
supports: 지원
contains: 포함
returns: 반환|돌려
causes: 일으
replaces: 대체|바꾸
implements: 구현
inherits from: 상속
belongs to: 속하|속한
is located in: 위치|있는 곳
was born in: 태어났|태어난|출생
founded: 설립|창립|세웠
writes: 기록|씁니다
reads: 읽
is connected to: 연결
provides: 제공
defines: 정의
controls: 제어
creates: 만들|생성
"""


class Verbs:
    """The verbs of a language, found in one pass."""

    def __init__(self, lines: str) -> None:
        pairs = [line.split(": ", 1) for line in lines.strip().splitlines()]
        self._types = tuple(type for type, _ in pairs)
        self._pattern = re.compile("|".join(f"({stems})" for _, stems in pairs))

    def first(self, text: str, within: int) -> tuple[str, int, int] | None:
        """The type, start and end of the first verb in the first ``within`` characters of ``text``."""
        match = self._pattern.search(text, 0, within)
        return (self._types[(match.lastindex or 1) - 1], *match.span()) if match else None


CHINESE = Verbs(_ZH)
JAPANESE = Verbs(_JA)
KOREAN = Verbs(_KO)
