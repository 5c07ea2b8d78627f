"""What a document of HTML holds, as tests look at it."""

from html.parser import HTMLParser


class Outline(HTMLParser):
    """What a document holds: its tags with attributes, and its words."""

    def __init__(self, document):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(document)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.words.append(data)

    def named(self, *names):
        return [attributes for tag, attributes in self.tags if tag in names]

    def all(self, attribute):
        return [found[attribute] for _, found in self.tags if attribute in found]
