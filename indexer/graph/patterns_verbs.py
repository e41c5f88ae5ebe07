"""The words that state relations in English, German, French and Spanish, as data.

In ``VERBS`` a line is ``type: active forms | participles``; ``a+b`` are words that follow each other. In
``GRAMMAR`` a line is ``kind: words``.
"""

from __future__ import annotations

_EN = """
sets: set sets setting | set
clears: clear clears cleared | cleared
enables: enable enables enabled activate activates activated | enabled activated
disables: disable disables disabled | disabled
requires: require requires required need needs needed necessitates | required needed
uses: use uses used utilizes employs | used
supports: support supports supported | supported
contains: contain contains contained include includes included comprises | contained included
returns: return returns returned | returned
causes: cause causes caused triggers triggered trigger raises | caused triggered raised
replaces: replace replaces replaced supersedes superseded | replaced superseded succeeded
implements: implement implements implemented | implemented
extends: extend extends extended | extended
writes: write writes wrote stores | written stored
reads: read reads loads | loaded
provides: provide provides provided offers | provided offered
defines: define defines defined specifies specify declares | defined specified declared
controls: control controls controlled governs determines | controlled governed determined
creates: create creates created generates generate produces | created generated produced
modifies: modify modifies modified updates changes alters | modified updated changed
calls: call calls invokes invoke | called invoked
overrides: override overrides overrode | overridden
resets: reset resets | reset
selects: select selects selected | selected
converts: convert converts converted | converted
prevents: prevent prevents prevented blocks | prevented
configures: configure configures configured adjust adjusts adjusted | configured adjusted
protects: protect protects protected guard guards guarded | protected guarded
starts: start starts started launches | started launched
stops: stop stops stopped halts halted interrupts interrupted disconnects | stopped halted interrupted shut
feeds: feed feeds fed supplies | fed supplied
receives: receive receives |
measures: measures measured | measured
founded: founded established created formed | founded established formed
directed: directed directs | directed
wrote: wrote authored composed penned | written authored composed
won: won wins received | won
married: married marries |
discovered: discovered | discovered
invented: invented | invented
designed: designed designs | designed
built: built builds | built constructed
developed: developed develops | developed
produced: produced | produced
published: published publishes released releases | published released
recorded: recorded | recorded
performed: performed performs sang | performed sung
plays: played plays portrays portrayed | played portrayed
leads: led leads headed heads | led headed
defeated: defeated defeats beat | defeated
borders: borders bordered adjoins | bordered
acquired: acquired acquires bought purchased | acquired bought purchased
owns: owns owned | owned
joined: joined joins |
attended: attended attends |
visited: visited |
influenced: influenced | influenced
named: | named
depends on: depend+on depends+on depended+on dependent+on relies+on rely+on relied+on
belongs to: belong+to belongs+to belonged+to
is part of: part+of built+into integrated+into embedded+in
replaces: took+over+from takes+over+from taken+over+from
reports to: reports+to report+to
comes from: loaded+from taken+from obtained+from received+from
consists of: consist+of consists+of consisted+of composed+of
inherits from: inherit+from inherits+from inherited+from derives+from derived+from descends+from
refers to: refer+to refers+to referred+to points+to
results in: result+in results+in resulted+in leads+to lead+to led+to
corresponds to: corresponds+to correspond+to maps+to mapped+to
is connected to: connects+to connected+to attached+to linked+to wired+to
is located in: located+in located+at located+on located+within situated+in situated+on lies+in lies+on
is located in: headquartered+in based+in found+in
was born in: born+in born+at
died in: died+in died+at
is a member of: member+of members+of
is named after: named+after named+for
married: married+to
is based on: based+on based+upon
flows into: flows+into empties+into
flows through: flows+through runs+through
was educated at: educated+at studied+at graduated+from
works for: works+for worked+for worked+at signed+with signed+by
plays for: plays+for played+for
stars: starring
converts to: converted+to converts+to
is produced in: produced+in made+in
"""

_DE = """
sets: setzt setzte setzen | gesetzt
clears: löscht löschte löschen | gelöscht
enables: aktiviert aktivierte aktivieren ermöglicht | aktiviert ermöglicht
disables: deaktiviert deaktivierte deaktivieren sperrt | deaktiviert gesperrt
requires: erfordert erforderte erfordern benötigt benötigte benötigen braucht brauchen verlangt
requires: | benötigt verlangt
uses: verwendet verwendete verwenden benutzt benutzte nutzt nutzte nutzen | verwendet benutzt genutzt
supports: unterstützt unterstützte unterstützen | unterstützt
contains: enthält enthielt enthalten umfasst beinhaltet | enthalten
returns: liefert | zurückgegeben
causes: verursacht verursachte bewirkt | verursacht bewirkt ausgelöst
replaces: ersetzt ersetzte ersetzen | ersetzt abgelöst
implements: implementiert implementierte | implementiert
extends: erweitert erweiterte | erweitert
writes: schreibt schrieb schreiben | geschrieben
reads: liest las lesen lädt | gelesen geladen
provides: bietet | bereitgestellt
defines: definiert definierte | definiert festgelegt
controls: steuert steuerte regelt | gesteuert geregelt
creates: erzeugt erzeugte erstellt erstellte | erzeugt erstellt
founded: gründete | gegründet
discovered: entdeckte | entdeckt
directed: | inszeniert
developed: entwickelte | entwickelt
won: gewann | gewonnen
married: heiratete |
depends on: hängt+von abhängig+von
belongs to: gehört+zu gehörte+zu gehört+zum gehört+zur gehören+zu
is part of: teil+von teil+des teil+der bestandteil+von bestandteil+des bestandteil+der
consists of: besteht+aus bestehen+aus
is based on: basiert+auf beruht+auf
is connected to: verbunden+mit angeschlossen+an
is located in: liegt+in liegt+im befindet+sich+in befindet+sich+im
was born in: in+geboren
died in: in+gestorben in+starb
is connected to: mit+verbunden an+angeschlossen
is based on: auf+basiert
inherits from: erbt+von
"""

_FR = """
sets: définit positionne fixe | défini définie positionné
clears: efface | effacé effacée
enables: active permet | activé activée
disables: désactive | désactivé désactivée
requires: requiert nécessite exige demande | requis requise exigé
uses: utilise emploie | utilisé utilisée
supports: supporte | supporté supportée
supports: prend+en+charge
contains: contient comprend inclut | contenu contenue inclus
returns: renvoie retourne | renvoyé retourné
causes: provoque cause entraîne | provoqué causé provoquée
replaces: remplace remplaça | remplacé remplacée
implements: implémente | implémenté
extends: étend | étendu
writes: écrit écrivit | écrit écrite
reads: lit | lu
provides: fournit | fourni fournie
controls: contrôle commande | contrôlé
creates: crée créa | créé créée
founded: fonda fonde | fondé fondée
directed: réalisa | réalisé réalisée dirigé
won: remporte remporta gagna | remporté
depends on: dépend+de dépend+du dépend+des
belongs to: appartient+à appartient+au
is part of: partie+de partie+du partie+des
is located in: situé+à situé+en situé+dans situé+au située+à située+en située+dans située+au
was born in: né+à née+à né+en née+en
died in: mort+à morte+à
is based on: basé+sur basée+sur
is connected to: connecté+à connectée+à relié+à
"""

_ES = """
sets: establece fija | establecido establecida
clears: borra | borrado
enables: activa habilita permite | activado habilitado activada
disables: desactiva deshabilita | desactivado deshabilitado
requires: requiere necesita exige | requerido
uses: usa utiliza emplea | usado utilizado utilizada
supports: soporta admite | soportado
contains: contiene incluye | contenido incluido
returns: devuelve retorna | devuelto
causes: causa provoca | causado provocado
replaces: reemplaza sustituye sustituyó | reemplazado sustituido
implements: implementa | implementado
extends: extiende | extendido
writes: escribe escribió | escrito escrita
reads: lee | leído
provides: proporciona | proporcionado
controls: controla | controlado
creates: crea creó | creado creada
founded: fundó | fundado fundada
directed: dirigió | dirigido dirigida
won: ganó | ganado
depends on: depende+de depende+del
belongs to: pertenece+a pertenece+al
is part of: parte+de parte+del
is located in: situado+en situada+en ubicado+en ubicada+en encuentra+en
was born in: nació+en nacido+en nacida+en
died in: murió+en falleció+en
is based on: basado+en basada+en
is connected to: conectado+a conectada+a
"""

_EN_GRAMMAR = """
be: is are was were be been being
by: by
articles: a an the one
never: not cannot never no without neither nor n't don't doesn't isn't aren't didn't won't can't hardly
pronouns: it he she this which who
definite: the this these each such its
generic: instruction function command register option flag bit method procedure routine program module
generic: package class device driver macro variable parameter setting feature terminal operator keyword
generic: statement tool utility file library model interface system signal value field film song album
generic: book novel company band city town village band series show team
prepositions: in on at from with for to during after before under over into through as by per via between
prepositions: against within around near about like than since across onto
of: of
stops: if when unless because although though while whereas where whether but so or than then else and how
stops: why what
joins: and or
"""

_DE_GRAMMAR = """
be: ist sind war waren wird werden wurde wurden sei worden
by: von vom durch
articles: ein eine einen einem einer der die das
never: nicht nie niemals kein keine keinen keiner keinem ohne weder
pronouns: es er sie dies dieser diese dieses
definite: der die das dieser diese dieses jeder jede jedes
generic: befehl funktion register option anweisung programm modul paket parameter variable gerät treiber
generic: bit schalter klasse methode datei
prepositions: in im an am auf aus bei mit für zu zum zur nach vor unter über durch als gegen seit ab
of: des der von vom
stops: wenn falls weil obwohl während ob aber sondern dass daß sowie denn
joins: und oder
"""

_FR_GRAMMAR = """
be: est sont était étaient sera fut furent être été
by: par
articles: un une le la les l
never: ne n pas jamais aucun aucune sans ni
pronouns: il elle ils elles ce ceci cela qui
definite: le la ce cet cette l chaque
generic: instruction fonction commande registre option méthode programme module paquet variable paramètre
generic: pilote bit classe fichier
prepositions: à au aux dans en sur avec pour par sous vers chez depuis pendant
of: de du des d
stops: si lorsque quand parce bien tandis mais où comme que
joins: et ou
"""

_ES_GRAMMAR = """
be: es son era eran fue fueron ser sido está están
by: por
articles: un una el la los las
never: no nunca ningún ninguna sin ni jamás
pronouns: él ella ellos ellas esto este esta que
definite: el la este esta cada
generic: instrucción función comando orden registro opción método programa módulo paquete variable
generic: parámetro controlador bit clase archivo
prepositions: a al en con para por sobre bajo desde hasta hacia durante
of: de del
stops: si cuando porque aunque mientras pero donde como
joins: y o e u
"""

VERBS = {"en": _EN, "de": _DE, "fr": _FR, "es": _ES}
GRAMMAR = {"en": _EN_GRAMMAR, "de": _DE_GRAMMAR, "fr": _FR_GRAMMAR, "es": _ES_GRAMMAR}
