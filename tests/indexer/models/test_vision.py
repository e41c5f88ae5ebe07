"""Models that see, through LlamaIndex and real HTTP: pictures arrive, tokens are counted, faults pass."""

from __future__ import annotations

import pytest
from drawn_pages import drawn, seeing
from fake_openai import Answer
from fake_vision import Asked, FakeVisionServer
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.llms.openai_like import OpenAILike
from page_pictures import text_pdf
from scripted_llm import ScriptedLLM
from treegraph.indexer.errors import ConfigurationError, ModelCallError
from treegraph.indexer.models import as_vision, load_vision
from treegraph.indexer.models.ports import LanguageModel, VisionModel
from treegraph.indexer.models.settings import VisionSettings
from treegraph.indexer.models.usage import image_tokens
from treegraph.indexer.pages import PageImage

QUESTION = "Question: What is the pause of the relay?\nWrite NOT-SHOWN-HERE where it is not shown."


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> PageImage:
    folder = tmp_path_factory.mktemp("vision")
    return drawn(text_pdf(folder / "relay.pdf", [["The relay R7 needs a pause of 49 seconds."]]))


def test_the_model_gets_the_very_picture_and_its_tokens_are_counted(page: PageImage) -> None:
    with FakeVisionServer() as server:
        model = seeing(server.base_url, price_in=1.0, price_out=2.0)
        done = model.look(QUESTION, page.png, 50)
    assert "49 seconds" in done.text
    assert server.sizes == [(page.width, page.height)]
    assert done.tokens_in > page.width * page.height // 1000
    assert not done.estimated
    assert not done.cut
    assert isinstance(model, VisionModel)
    assert isinstance(model, LanguageModel)


def test_a_server_without_counts_gets_estimates_with_the_picture_in_them(page: PageImage) -> None:
    with FakeVisionServer(lambda asked, right: Answer(right, usage=False)) as server:
        done = seeing(server.base_url).look(QUESTION, page.png, 50)
    assert done.estimated
    assert done.tokens_in > image_tokens(page.png) == -(-page.width * page.height // 750)


def test_an_answer_that_ends_where_its_room_does_says_so(page: PageImage) -> None:
    with FakeVisionServer() as server:
        done = seeing(server.base_url).look(QUESTION, page.png, 4)
    assert done.cut


def test_retry_after_is_kept_to_and_what_stays_broken_is_named(page: PageImage) -> None:
    busy = Answer("slow down", status=429, headers={"Retry-After": "0.3"})

    def fault(asked: Asked, right: str) -> Answer | None:
        return busy if asked.number == 0 else None

    with FakeVisionServer(fault) as server:
        assert "49" in seeing(server.base_url).look(QUESTION, page.png, 50).text
        assert server.times[1] - server.times[0] >= 0.29
    with (
        FakeVisionServer(lambda asked, right: Answer("no", status=401)) as server,
        pytest.raises(ModelCallError, match="401"),
    ):
        seeing(server.base_url).look(QUESTION, page.png, 50)


def test_the_key_is_the_vision_models_own_else_the_language_models(
    page: PageImage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEGRAPH_LLM_API_KEY", "sk-of-the-language-model")
    with FakeVisionServer() as server:
        seeing(server.base_url).look(QUESTION, page.png, 50)
        monkeypatch.setenv("TREEGRAPH_VISION_API_KEY", "sk-of-the-vision-model")
        seeing(server.base_url).look(QUESTION, page.png, 50)
    assert server.keys == ["Bearer sk-of-the-language-model", "Bearer sk-of-the-vision-model"]


def test_any_llamaindex_model_that_takes_images_will_do(page: PageImage) -> None:
    with FakeVisionServer() as server:
        llm = OpenAILike(
            model="theirs", api_base=server.base_url, api_key="none", is_chat_model=True, context_window=9000
        )
        model = as_vision(llm, VisionSettings(price_in=3.0))
        assert "49" in model.look(QUESTION, page.png, 50).text
        parts = [TextBlock(text=QUESTION), ImageBlock(image=page.png, image_mimetype="image/png")]
        pieces = [part.delta for part in llm.stream_chat([ChatMessage(role="user", blocks=parts)])]
    assert len(pieces) > 2
    assert "49" in "".join(piece or "" for piece in pieces)
    assert (model.window, model.price_in) == (9000, 3.0)
    assert model.name.endswith("theirs")


def test_a_model_that_would_never_see_the_picture_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="takes text alone"):
        as_vision(ScriptedLLM())
    with pytest.raises(ConfigurationError, match="neither"):
        as_vision(object())


def test_no_model_is_configured_by_default_and_half_a_one_is_a_mistake() -> None:
    assert load_vision(VisionSettings()) is None
    for wrong in ({"model": "m"}, {"dpi": 20}, {"max_pixels": 100}, {"tokens": 1}, {"price_in": -1.0}):
        with pytest.raises(ConfigurationError, match=r"\[vision\]"):
            VisionSettings(**wrong)  # type: ignore[arg-type]
