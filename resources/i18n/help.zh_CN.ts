<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>HelpPage</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>正文</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
</context>
</TS>
